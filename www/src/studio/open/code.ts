// The network that a program defines, opened in the studio as a link that is data: the program does not run.
import { addressOf } from "../link";
import { isRefused, openModule } from "../module";

/** Goes to the studio; a sentence where the program has no picture. */
export async function openCode(text: string): Promise<string> {
  const ask = await openModule();
  const told = ask("read_python", { text, before: null });
  if (isRefused(told)) return `This has no picture: ${told.error}.`;
  const made = addressOf(told.net);
  if ("problem" in made) return made.problem;
  location.hash = new URL(made.address).hash;
  return "";
}
