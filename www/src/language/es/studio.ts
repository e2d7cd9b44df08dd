// The texts of the studio in Spanish: the English text, then the Spanish one.
const texts: Record<string, string> = {};

export default texts;
