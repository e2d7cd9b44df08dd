// The texts of the reference in Spanish: the English text, then the Spanish one.
const texts: Record<string, string> = {
  "The reference did not arrive. Check the connection, or whether the lab is still being served, and reload.":
    "La referencia no llegó. Revisa la conexión, o si el laboratorio se sigue sirviendo, y vuelve a cargar.",
  "Search by name or by what it does": "Buscar por nombre o por lo que hace",
  Families: "Familias",
  "It has a gradient": "Tiene gradiente",
  "{n} of {m} names": "{n} de {m} nombres",
  "{n} of {m} ops": "{n} de {m} operaciones",
  "{m} names in {k} families": "{m} nombres en {k} familias",
  "{m} ops in {k} families": "{m} operaciones en {k} familias",
  " or ": " o ",
  "First what Python's side defines: layers, optimizers, data sets, and the lab. Then every op of the engine: what it computes, how its gradient flows back, and what it prints.":
    "Primero lo que define la parte de Python: capas, optimizadores, conjuntos de datos y el laboratorio. Luego cada operación del motor: qué calcula, cómo vuelve su gradiente y qué imprime.",
  "In a rule, {a}, {b} and {c} are the tensors it is given, in order, {y} is its result, and {gy} is the gradient that arrives at {y}.":
    "En una regla, {a}, {b} y {c} son los tensores que recibe, en orden, {y} es su resultado y {gy} es el gradiente que llega a {y}.",
  "An op runs on the device of its tensors; what that device cannot compute, the CPU computes for it.":
    "Una operación se ejecuta en el dispositivo de sus tensores; lo que ese dispositivo no puede calcular lo calcula la CPU.",
  "The entries of the reference are in English.": "Las entradas de la referencia están en inglés.",
  "There is nothing named “{name}”.": "No hay nada llamado «{name}».",
  "Did you mean {names}?": "¿Querías decir {names}?",
  "Type what it does in the search field; all ops are below.":
    "Escribe lo que hace en el campo de búsqueda; todas las operaciones están abajo.",
  "This copy has no reference yet. Run {code} in the repository to build it.":
    "Esta copia no tiene referencia todavía. Ejecuta {code} en el repositorio para crearla.",
  "No op fits “{text}”.": "Ninguna operación encaja con «{text}».",
  "Try a shorter word, or one for what it does.": "Prueba una palabra más corta, o una para lo que hace.",
  ", has a gradient": ", tiene gradiente",
  Arguments: "Argumentos",
  Shape: "Forma",
  Remembers: "Recuerda",
  to: "para",
  "Try it": "Probarlo",
  Shapes: "Formas",
  Dtypes: "Dtypes",
  kept: "se conserva",
  refused: "rechazados",
  "Also as": "También como",
  "Runs on": "Se ejecuta en",
  None: "Ninguno",
  "Example of {name}": "Ejemplo de {name}",
  "What the example of {name} prints": "Lo que imprime el ejemplo de {name}",
  "Try it: {name} in the notebook": "Probarlo: {name} en el cuaderno",
  "which writes into {x}": "que escribe en {x}",
};

export default texts;
