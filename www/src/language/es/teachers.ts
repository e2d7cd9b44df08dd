// The texts of the page for teachers and its sheets in Spanish: the English text, then the Spanish one.
const texts: Record<string, string> = {
  "What a class needs": "Qué necesita una clase",
  "A browser of this year on each computer. Lessons need no GPU; where the browser has WebGPU, the lessons on kernels use it.":
    "Un navegador de este año en cada ordenador. Las lecciones no necesitan GPU; donde el navegador tiene WebGPU, las lecciones sobre kernels lo usan.",
  "Some 3.5 MB for the first lesson on each computer. After that the page works without a connection.":
    "Unos 3.5 MB para la primera lección en cada ordenador. Después la página funciona sin conexión.",
  "Ways to use it": "Maneras de usarlo",
  "A sheet has a lesson's questions and exercises, to be printed or saved as PDF, with or without answers; or the whole lesson.":
    "Una hoja tiene las preguntas y los ejercicios de una lección, para imprimir o guardar como PDF, con respuestas o sin ellas; o la lección entera.",
  "Each question and exercise of a sheet links to its place in the lesson. Give such a link to begin there.":
    "Cada pregunta y cada ejercicio de una hoja enlaza a su lugar en la lección. Da ese enlace para empezar allí.",
  "What each lesson takes": "Qué pide cada lección",
  Minutes: "Minutos",
  Cells: "Celdas",
  Predictions: "Predicciones",
  Exercises: "Ejercicios",
  Questions: "Preguntas",
  Sheet: "Hoja",
  "{n} lessons, {time} in all. They run in the browser of each learner; there is nothing to install and no account.":
    "{n} lecciones, {time} en total. Se ejecutan en el navegador de cada estudiante; no hay nada que instalar ni cuenta que crear.",
  "What a learner writes is kept in that browser and goes nowhere. {course} saves it to a file, for another computer or as a hand-in.":
    "Lo que escribe cada estudiante se guarda en ese navegador y no va a ningún otro sitio. {course} lo guarda en un archivo, para otro ordenador o como entrega.",
  "the course": "el curso",
  notebook: "cuaderno",
  "A network may be drawn in the {studio}, and programs of your own written in the {notebook}.":
    "Una red se puede dibujar en el {studio}, y los programas propios se escriben en el {notebook}.",
  "Hand-ins are the files that learners save. {command} in a terminal runs every exercise in them, with a limit on its time, and writes a table, or JSON with {option}.":
    "Las entregas son los archivos que guarda cada estudiante. {command} en una terminal ejecuta cada ejercicio que contienen, con un límite de tiempo, y escribe una tabla, o JSON con {option}.",
  "For Moodle, Canvas and others {course} makes a SCORM package of a lesson.":
    "Para Moodle, Canvas y otras, {course} hace un paquete SCORM de una lección.",
  "{make} makes a small lesson to be written over, and {prove} proves a lesson: cells run, solutions pass, mistakes are told.":
    "{make} hace una lección pequeña para reescribirla, y {prove} prueba una lección: las celdas se ejecutan, las soluciones superan las comprobaciones, los errores se dicen.",
  FILES: "ARCHIVOS",
  NAME: "NOMBRE",
  "Sheet of {name}": "Hoja de {name}",
  "With answers": "Con respuestas",
  "The whole lesson": "La lección entera",
  Print: "Imprimir",
  Name: "Nombre",
  Date: "Fecha",
  Predict: "Predice",
  Shape: "Forma",
  Number: "Número",
  "{lesson}, a sheet": "{lesson}, una hoja",
  "before {cell} runs": "antes de ejecutar {cell}",
  "The run answers: {value} after {cell}.": "La ejecución responde: {value} después de {cell}.",
  "Exercise: {title}": "Ejercicio: {title}",
  "Start of {name}": "Comienzo de {name}",
  "This lab has no lesson named “{slug}”; the page for teachers lists them.":
    "Este laboratorio no tiene ninguna lección llamada «{slug}»; la página para docentes las lista.",
  studio: "estudio",
};

export default texts;
