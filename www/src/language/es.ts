// The page's texts in Spanish: the English text, then the Spanish one. What is in braces is filled in.
//
// Voice and terms are those of the lessons: `tú`, short sentences, no exclamation marks. The texts of the instruments are in
// es/instruments.ts, those of the stage in es/stage.ts.
import { instruments } from "./es/instruments";
import { stage } from "./es/stage";

const page: Record<string, string> = {
  "Skip to content": "Saltar al contenido",
  "Search could not be loaded. Check the connection.": "No se pudo cargar la búsqueda. Revisa la conexión.",
  Close: "Cerrar",
  "There is no such page": "Esta página no existe",
  "The address names “{path}”, which this lab does not have.":
    "La dirección nombra «{path}», que este laboratorio no tiene.",
  "This page could not be loaded": "No se pudo cargar esta página",
  "Its files did not arrive. Check the connection, or whether the lab is still being served, and reload.":
    "Sus archivos no llegaron. Revisa la conexión, o si el laboratorio se sigue sirviendo, y vuelve a cargar.",
  "{n} of": "{n} de",
  cell: "celda",
  cells: "celdas",
  exercise: "ejercicio",
  exercises: "ejercicios",
  question: "pregunta",
  questions: "preguntas",
  "1 solution seen": "1 solución vista",
  "{n} solutions seen": "{n} soluciones vistas",
  "This copy has no lessons yet. Run `cargo lab` in the repository to build them.":
    "Esta copia no tiene lecciones todavía. Ejecuta `cargo lab` en el repositorio para crearlas.",
  lesson: "lección",
  lessons: "lecciones",
  done: "hecho",
  "{time} left": "quedan {time}",
  "In English: not translated yet.": "En inglés: todavía sin traducir.",
  "A number, such as 0.5": "Un número, como 0.5",
  "Sizes with commas between them, such as 3, 4": "Tamaños separados por comas, como 3, 4",
  "{done} of {total} MB": "{done} de {total} MB",
  Files: "Archivos",
  none: "ninguno",
  "Cells open them by name: {open}, {load}. Drop files on this page, or add them here. What cells write is listed too, and stays on this computer.":
    "Las celdas los abren por su nombre: {open}, {load}. Suelta archivos en esta página o añádelos aquí. Lo que escriben las celdas también aparece en la lista y se queda en este ordenador.",
  "Save {path}": "Guardar {path}",
  Save: "Guardar",
  "Remove {path}": "Quitar {path}",
  Remove: "Quitar",
  "Add files": "Añadir archivos",
  "Add files for cells": "Añadir archivos para las celdas",
  "Address of a file": "Dirección de un archivo",
  Fetch: "Traer",
  "Fetching {name}": "Trayendo {name}",
  "Give up": "Abandonar",
  "Run {cell}": "Ejecutar {cell}",
  Language: "Idioma",
  "The texts did not arrive. Check the connection and try again.":
    "Los textos no llegaron. Revisa la conexión e inténtalo otra vez.",
  "line {n}": "línea {n}",
  "From the lesson's author: run a cell to see yours.":
    "De quien escribió la lección: ejecuta una celda para ver lo tuyo.",
  "From the author's run of {cell}.": "De la ejecución de {cell} de quien escribió la lección.",
  "Run {cell} to {last}": "Ejecutar {cell} a {last}",
  "makes it yours.": "lo hace tuyo.",
  Cell: "Celda",
  Begin: "Empezar",
  "Continue where you were": "Sigue donde estabas",
  "Go on": "Continuar",
  "Begin again": "Empezar de nuevo",
  "You have finished every lesson.": "Has terminado todas las lecciones.",
  "at {block}": "en {block}",
  "{time} in all": "{time} en total",
  "Saved as {file}.": "Guardado como {file}.",
  "Your work from the file is here now.": "Tu trabajo del archivo ya está aquí.",
  "It also names a lesson that this copy does not have; that is kept for a copy that has.":
    "También nombra una lección que esta copia no tiene; se guarda para una copia que la tenga.",
  "It also names {n} lessons that this copy does not have; that is kept for a copy that has.":
    "También nombra {n} lecciones que esta copia no tiene; se guarda para una copia que las tenga.",
  "Everything is as it was before you opened the file.": "Todo está como antes de abrir el archivo.",
  Course: "Curso",
  "Your library": "Tu biblioteca",
  "your library": "tu biblioteca",
  "Some exercises ask for pieces of a library: a graph walk, matrix products, an optimizer. What passes is kept in {library}, and the last lesson makes a framework of it.":
    "Algunos ejercicios piden piezas de una biblioteca: un recorrido del grafo, productos de matrices, un optimizador. Lo que supera las comprobaciones se guarda en {library}, y la última lección hace con ello un marco.",
  "In {library} now: {code}.": "Ahora en {library}: {code}.",
  "What passes becomes {code} of {library}.":
    "Lo que supera las comprobaciones pasa a ser {code} de {library}.",
  "The zip could not be made: a file of this page did not arrive. Check the connection and try again.":
    "No se pudo hacer el zip: un archivo de esta página no llegó. Revisa la conexión e inténtalo otra vez.",
  "{name} is the course's own again.": "{name} vuelve a ser la del curso.",
  "{n} of {m} pieces are yours": "{n} de {m} piezas son tuyas",
  "Save as mine.zip": "Guardar como mine.zip",
  yours: "tuya",
  "Remove your {name}": "Quitar tu {name}",
  "the course's own": "la del curso",
  "Your {name}": "Tu {name}",
  "Exercises of the course give its pieces. Cells import them by name, such as {code}. Where you have not passed an exercise yet, its piece is the course's own.":
    "Los ejercicios del curso dan sus piezas. Las celdas las importan por su nombre, como {code}. Si todavía no has superado un ejercicio, su pieza es la del curso.",
  "Unpacked beside a program, {python} imports them too; {lesson} reads the last lesson with them.":
    "Descomprimidas junto a un programa, {python} también las importa; {lesson} recorre con ellas la última lección.",
  "Each lesson is a page of prose with live Python in it. Start anywhere; they build on one another.":
    "Cada lección es una página de texto con Python vivo dentro. Empieza por donde quieras; cada una se apoya en las anteriores.",
  "Your work": "Tu trabajo",
  "What you write and how far you are is kept in this browser, and nowhere else.":
    "Lo que escribes y hasta dónde has llegado se guarda en este navegador y en ningún otro sitio.",
  "This browser keeps nothing (a private window?). Save your work before you close the page.":
    "Este navegador no guarda nada (¿una ventana privada?). Guarda tu trabajo antes de cerrar la página.",
  "Save to a file": "Guardar en un archivo",
  "Open a file": "Abrir un archivo",
  "Take it back": "Deshacer",
  "For teachers": "Para docentes",
  "The page for teachers": "La página para docentes",
  "tells what each lesson takes, and has its questions as a sheet to print.":
    "dice qué pide cada lección y tiene sus preguntas como hoja para imprimir.",
  "A deep-learning framework you can watch think. Eight lines of Python, and the graph they make, computed now in this page.":
    "Un marco de aprendizaje profundo que puedes ver pensar. Ocho líneas de Python y el grafo que forman, calculado ahora en esta página.",
  "Eight lines of Python": "Ocho líneas de Python",
  "the eight lines": "las ocho líneas",
  "Its graph": "Su grafo",
  Lessons: "Lecciones",
  "All lessons": "Todas las lecciones",
  "Everything runs in this page. What you write stays on this computer.":
    "Todo se ejecuta en esta página. Lo que escribes se queda en este ordenador.",
  "How fast it is here": "Qué tan rápido es aquí",
  "{n} of {m} cells run in this session, {k} earlier":
    "{n} de {m} celdas ejecutadas en esta sesión, {k} antes",
  "{n} of {m} cells run": "{n} de {m} celdas ejecutadas",
  "{n} of {m} exercises passed": "{n} de {m} ejercicios superados",
  "{n} of {m} answers right": "{n} de {m} respuestas correctas",
  "There is no such lesson": "Esta lección no existe",
  "This lab has no lesson named “{slug}”. It may have been renamed; the list of lessons has all of them.":
    "Este laboratorio no tiene ninguna lección llamada «{slug}». Puede que haya cambiado de nombre; la lista de lecciones las tiene todas.",
  "lesson {n}": "lección {n}",
  "This lesson has not been translated yet: it is in English.":
    "Esta lección todavía no está traducida: está en inglés.",
  Sections: "Secciones",
  "This browser keeps nothing of this page (a private window, or a full disk). What you write and run lasts until you leave it.":
    "Este navegador no guarda nada de esta página (una ventana privada o un disco lleno). Lo que escribas y ejecutes dura hasta que la dejes.",
  Previous: "Anterior",
  Next: "Siguiente",
  "The course": "El curso",
  "This lesson could not be loaded": "No se pudo cargar esta lección",
  "{problem}. Check the connection and reload.": "{problem}. Revisa la conexión y vuelve a cargar.",
  "Back to the start": "Volver al inicio",
  Notebook: "Cuaderno",
  "Write what you like. Call `backward()` on a tensor with one element, and its graph lights up on the stage. Variables stay from run to run.":
    "Escribe lo que quieras. Llama a `backward()` en un tensor de un elemento y su grafo se ilumina en el escenario. Las variables se conservan de una ejecución a otra.",
  "Add a cell": "Añadir una celda",
  "Add a note": "Añadir una nota",
  Packing: "Empaquetando",
  "Packing: {done} of {all} files": "Empaquetando: {done} de {all} archivos",
  "For a learning platform": "Para una plataforma de aprendizaje",
  "A lesson as a SCORM 1.2 package, for Moodle, Canvas and others: it tells the platform whether a learner has finished, and a score of the exercises and questions.":
    "Una lección como paquete SCORM 1.2, para Moodle, Canvas y otras: dice a la plataforma si quien aprende ha terminado, y una puntuación de los ejercicios y las preguntas.",
  Lesson: "Lección",
  "Download the package": "Descargar el paquete",
  "Switch to the light theme": "Cambiar al tema claro",
  "Switch to the dark theme": "Cambiar al tema oscuro",
  "glowgrad, home": "glowgrad, inicio",
  Pages: "Páginas",
  Studio: "Estudio",
  Reference: "Referencia",
  Search: "Buscar",
  "Search (Ctrl+K or /)": "Buscar (Ctrl+K o /)",
  "Python is starting": "Python se está iniciando",
  "Loading Python": "Cargando Python",
  "Python is running": "Python se está ejecutando",
  "Python is ready": "Python está listo",
  "No session on this computer": "No hay sesión en este ordenador",
  "Python could not be loaded": "No se pudo cargar Python",
  Stage: "Escenario",
  "Show it": "Mostrarlo",
  "Place of {name}": "Lugar de {name}",
  "Move {name} up": "Subir {name}",
  "Move up": "Subir",
  "Move {name} down": "Bajar {name}",
  "Move down": "Bajar",
  "Delete {name}": "Eliminar {name}",
  Delete: "Eliminar",
  "Add a cell below {name}": "Añadir una celda debajo de {name}",
  "Add a note below {name}": "Añadir una nota debajo de {name}",
  Note: "Nota",
  "Code of {name}": "Código de {name}",
  "Runs {names}": "Ejecuta {names}",
  "Run all above": "Ejecutar todo lo anterior",
  "Your code and the solution of {name}": "Tu código y la solución de {name}",
  "The same, line by line.": "Lo mismo, línea por línea.",
  "1 line differs.": "1 línea es distinta.",
  "{n} lines differ.": "{n} líneas son distintas.",
  "− yours, + the solution.": "− lo tuyo, + la solución.",
  "Your code": "Tu código",
  "One way to write it": "Una manera de escribirlo",
  "Yours: ": "Lo tuyo: ",
  "Solution: ": "Solución: ",
  "no line": "ninguna línea",
  "Link copied": "Enlace copiado",
  "The link could not be made: its code did not arrive. Check the connection and try again.":
    "No se pudo crear el enlace: su código no llegó. Revisa la conexión e inténtalo otra vez.",
  "Copy link to {name}": "Copiar enlace a {name}",
  "Copy link": "Copiar enlace",
  "Width of the text": "Ancho del texto",
  Exercise: "Ejercicio",
  passed: "superado",
  "solution seen": "solución vista",
  "Your code for {name}": "Tu código para {name}",
  "This exercise": "Este ejercicio",
  "There is nothing to check yet. Reset brings back the code that stood here.":
    "Todavía no hay nada que comprobar. Restablecer devuelve el código que había aquí.",
  "There is nothing to check yet: write your code first.":
    "Todavía no hay nada que comprobar: escribe antes tu código.",
  "All {n} checks hold.": "Se cumplen las {n} comprobaciones.",
  "{n} of {m} checks hold.": "Se cumplen {n} de {m} comprobaciones.",
  "Holds:": "Se cumple:",
  "Does not hold:": "No se cumple:",
  check: "comprobar",
  Hints: "Pistas",
  "Solution of {name}": "Solución de {name}",
  "The comparison could not be loaded. Check the connection, hide this and try again.":
    "No se pudo cargar la comparación. Revisa la conexión, oculta esto e inténtalo otra vez.",
  "Put your code back": "Recuperar tu código",
  "Put the solution in the editor": "Poner la solución en el editor",
  "Hide it": "Ocultarla",
  "You have not checked any code of your own yet. A try, even a wrong one, makes the solution worth more. Look anyway? The exercise will say that you did.":
    "Todavía no has comprobado código tuyo. Un intento, aunque sea erróneo, hace que la solución valga más. ¿Mirar de todos modos? El ejercicio dirá que lo hiciste.",
  "Not yet": "Todavía no",
  "Hint {n} of {m}": "Pista {n} de {m}",
  "Compare with the solution": "Comparar con la solución",
  "Show me": "Muéstramelo",
  "Fixes for {name}": "Arreglos para {name}",
  "What changes: {fix}": "Qué cambia: {fix}",
  "The fix is in the code; run it to see.": "El arreglo está en el código; ejecútalo para ver.",
  "Undo the fix": "Deshacer el arreglo",
  "Half the screen": "Media pantalla",
  "Full screen": "Pantalla completa",
  "new": "nuevo",
  Instruments: "Instrumentos",
  "This instrument could not be loaded. Check the connection and reload.":
    "No se pudo cargar este instrumento. Revisa la conexión y vuelve a cargar.",
  "{name} is made in {cell}, which has not run in this session.":
    "{name} se crea en {cell}, que no se ha ejecutado en esta sesión.",
  "{name} is made in {cell}, which has changed since it ran.":
    "{name} se crea en {cell}, que ha cambiado desde que se ejecutó.",
  "{name} is made in {cell}, which ended with an error.":
    "{name} se crea en {cell}, que terminó con un error.",
  "Run all above, then {name}": "Ejecutar todo lo anterior y luego {name}",
  ", which have run.": ", que ya se ejecutaron.",
  ", which has run.": ", que ya se ejecutó.",
  ". {cell} ended with an error: see there.": ". {cell} terminó con un error: míralo allí.",
  ". A check runs these cells first.": ". Una comprobación ejecuta antes estas celdas.",
  ". A check runs this cell first.": ". Una comprobación ejecuta antes esta celda.",
  "This exercise uses": "Este ejercicio usa",
  and: "y",
  "of {cell}": "de {cell}",
  Running: "En ejecución",
  Run: "Ejecutar",
  "Text of {name}": "Texto de {name}",
  "Shift+Enter ends writing": "Mayús+Intro termina la escritura",
  "An empty note.": "Una nota vacía.",
  Formula: "Fórmula",
  Table: "Tabla",
  Done: "Hecho",
  "Not done": "Sin hacer",
  "This formula cannot be typeset: {why}": "Esta fórmula no se puede componer: {why}",
  "Write {name}": "Escribir {name}",
  Write: "Escribir",
  "Run all": "Ejecutar todo",
  "Save as .ipynb": "Guardar como .ipynb",
  "Save as .py": "Guardar como .py",
  "Open a notebook": "Abrir un cuaderno",
  "Drop a .py or .ipynb file to open it, or files for the cells to read.":
    "Suelta un archivo .py o .ipynb para abrirlo, o archivos para que los lean las celdas.",
  "{name} has 1 cell or note. Where should it go?": "{name} tiene 1 celda o nota. ¿Dónde debe ir?",
  "{name} has {n} cells and notes. Where should they go?":
    "{name} tiene {n} celdas y notas. ¿Dónde deben ir?",
  "Below what is here": "Debajo de lo que hay",
  "In place of what is here": "En lugar de lo que hay",
  "Not now": "Ahora no",
  "Let it be": "Dejarlo así",
  "Python was restarted and its variables are gone. Your text and this picture are not.":
    "Python se reinició y sus variables se perdieron. Tu texto y este dibujo, no.",
  "Run {names} again": "Ejecutar {names} otra vez",
  "From an earlier session": "De una sesión anterior",
  ": its variables are gone": ": sus variables se perdieron",
  "Drawn by the exercise's checks": "Dibujado por las comprobaciones del ejercicio",
  ", with numbers of their own": ", con números propios",
  "Drawn by {name} in an earlier session.": "Dibujado por {name} en una sesión anterior.",
  "The picture of {name} was larger than the {n} MB that are kept. Running {name} draws it again.":
    "El dibujo de {name} ocupaba más de los {n} MB que se guardan. Ejecutar {name} lo dibuja otra vez.",
  "Open in the studio: the network of {name}": "Abrir en el estudio: la red de {name}",
  "Open in the studio": "Abrir en el estudio",
  "{name} was changed in another tab too. The newer text stands here; the other, of {when}, is kept.":
    "{name} cambió también en otra pestaña. Aquí está el texto más nuevo; el otro, de {when}, se guarda.",
  "{name} was changed in another tab too. The newer text stands here; the other is kept.":
    "{name} cambió también en otra pestaña. Aquí está el texto más nuevo; el otro se guarda.",
  "Show the other text": "Mostrar el otro texto",
  "Other text of {name}": "Otro texto de {name}",
  "Put the other text here": "Poner aquí el otro texto",
  "Let it go": "Descartarlo",
  "{n} characters in the middle are not shown.": "{n} caracteres del medio no se muestran.",
  "Output of {name}": "Salida de {name}",
  "Plot of {name}": "Gráfica de {name}",
  "Stopped. Your variables are kept.": "Detenido. Tus variables se conservan.",
  Traceback: "Traza del error",
  "Predict, then run": "Predice y luego ejecuta",
  "a number": "un número",
  Commit: "Confirmar",
  Change: "Cambiar",
  "You said {said}. It is {given}.": "Dijiste {said}. Es {given}.",
  "You say {said}. Run {cell} to see.": "Dices {said}. Ejecuta {cell} para ver.",
  "Your curve is kept. Run {cell} to see the run's.":
    "Tu curva está guardada. Ejecuta {cell} para ver la de la ejecución.",
  "Your curve is {share} % of the height away from the run's, on average. Up to {most} % is right.":
    "En promedio, tu curva dista de la de la ejecución un {share} % de la altura. Hasta un {most} % es correcto.",
  "The run gave no curve.": "La ejecución no dio ninguna curva.",
  "what you drew": "lo que dibujaste",
  "the run's answer": "la respuesta de la ejecución",
  "the run's answer, the same": "la respuesta de la ejecución, la misma",
  "Tap the node where the arrow begins, then the one where it ends.":
    "Toca el nodo donde empieza la flecha y luego el nodo donde termina.",
  "From {from}: tap the node where the arrow ends.": "Desde {from}: toca el nodo donde termina la flecha.",
  "Tap two nodes for another arrow.": "Toca dos nodos para dibujar otra flecha.",
  "Draw the curve here, from left to right": "Dibuja la curva aquí, de izquierda a derecha",
  "Go on to both ends of the axis.": "Continúa hasta los dos extremos del eje.",
  "By keyboard: ← and → choose a point, ↑ and ↓ move it.":
    "Con el teclado: ← y → eligen un punto, ↑ y ↓ lo mueven.",
  "Point {n} of {all}, at {x}: not drawn yet": "Punto {n} de {all}, en {x}: aún sin dibujar",
  "Point {n} of {all}, at {x}: {y}": "Punto {n} de {all}, en {x}: {y}",
  "Right.": "Correcto.",
  "Not this one.": "Esta no.",
  Check: "Comprobar",
  Reset: "Restablecer",
  "Reset {name} to the original code": "Restablecer {name} al código original",
  "Discard your changes?": "¿Descartar tus cambios?",
  "Discard your changes to {name}?": "¿Descartar tus cambios en {name}?",
  "Undo the reset": "Deshacer el restablecimiento",
  "Undo the reset of {name}": "Deshacer el restablecimiento de {name}",
  "Stop {name}": "Detener {name}",
  Stop: "Detener",
  "Run {n} of its session": "Ejecución {n} de su sesión",
  "Run {n} of this session": "Ejecución {n} de esta sesión",
  "The graph of this script stands here once it has run.":
    "El grafo de este script está aquí en cuanto se haya ejecutado.",
  "Run the script": "Ejecutar el script",
  "Line {line}.": "Línea {line}.",
  "The script ran and drew no graph: call backward() on a tensor with one element.":
    "El script se ejecutó y no dibujó ningún grafo: llama a backward() sobre un tensor de un elemento.",
  "Loading Python: {amount}": "Cargando Python: {amount}",
  "Ran before Python was restarted": "Se ejecutó antes de que Python se reiniciara",
  Stopped: "Detenido",
  "Stopped by an error": "Detenido por un error",
  "{n} nodes": "{n} nodos",
  "empty until a cell runs": "vacío hasta que se ejecute una celda",
  "the author's run": "la ejecución de quien escribió la lección",
  "the author's run of {cell}": "la ejecución de {cell} de quien escribió la lección",
  "This browser cannot let a message in while Python runs. Stop works, but starts Python anew: its variables are gone then, and the page says which cells to run again.":
    "Este navegador no puede dejar entrar un mensaje mientras Python se ejecuta. Detener funciona, pero inicia Python de nuevo: sus variables se pierden, y la página dice qué celdas ejecutar otra vez.",
  "The steps of the run could not be loaded. Check the connection and reload.":
    "No se pudieron cargar los pasos de la ejecución. Revisa la conexión y vuelve a cargar.",
  "Interrupted by leaving the page, {when}": "Interrumpida al dejar la página, {when}",
  "Earlier session, changed since": "Sesión anterior, cambió desde entonces",
  "Earlier session, {when}": "Sesión anterior, {when}",
  "Changed since the check": "Cambió desde la comprobación",
  "Changed since it ran": "Cambió desde que se ejecutó",
  "Out of date: {names} changed": "Desactualizado: cambió {names}",
  "{n} cells": "{n} celdas",
  "{names} and {last}": "{names} y {last}",
  "The editor could not be loaded. Check the connection and click the code again.":
    "No se pudo cargar el editor. Revisa la conexión y vuelve a hacer clic en el código.",
  "Shift+Enter runs. Escape, then Tab leaves the editor.":
    "Mayús+Intro ejecuta. Esc y luego Tab salen del editor.",
  "In the reference": "En la referencia",
  "{name} in the reference": "{name} en la referencia",
  "Import {name}": "Importar {name}",
  "Collect gradients for {name}": "Recoger gradientes para {name}",
  "Transpose {name}": "Trasponer {name}",
  "the operand": "el operando",
  "Search the course": "Buscar en el curso",
  "Search lessons and the reference": "Buscar en las lecciones y la referencia",
  "A word, a term, an op": "Una palabra, un término, una operación",
  Results: "Resultados",
  choose: "elegir",
  open: "abrir",
  "The index of the lessons could not be loaded. Check the connection.":
    "No se pudo cargar el índice de las lecciones. Revisa la conexión.",
  "The index is on its way.": "El índice está en camino.",
  "Did you mean one of these?": "¿Querías decir una de estas?",
  "Try one word of it, its beginning, or an op’s name such as softmax.":
    "Prueba una sola palabra, su comienzo, o el nombre de una operación, como softmax.",
  "Try again": "Intentar otra vez",
  "For example": "Por ejemplo",
  Section: "Sección",
  Question: "Pregunta",
  Code: "Código",
  "No lesson says “{text}”.": "Ninguna lección dice «{text}».",
  "1 result": "1 resultado",
  "{n} results": "{n} resultados",
  ", the best {n} here": ", aquí los {n} mejores",
  "Lessons are searched in English.": "La búsqueda recorre el texto en inglés de las lecciones.",
  Op: "Operación",
  Class: "Clase",
  Function: "Función",
  Property: "Propiedad",
  "What computes": "Qué calcula",
  "this computer · ": "este ordenador · ",
  "this browser · ": "este navegador · ",
  "Open the address that `glow lab` printed to compute on this computer":
    "Abre la dirección que mostró `glow lab` para calcular en este ordenador",
  "The menu could not be loaded. Check the connection.": "No se pudo cargar el menú. Revisa la conexión.",
  "Device: {name}": "Dispositivo: {name}",
  "to {name} …": "a {name} …",
  "What you wrote and how far you are stay.": "Lo que escribiste y hasta dónde llegaste se conservan.",
  "Go on in the browser": "Seguir en el navegador",
  "This computer’s engine is gone: {code} has ended, or was started anew. Start it again and open the address that it prints, or go on in the browser’s own engine.":
    "El motor de este ordenador ya no está: {code} terminó o se inició de nuevo. Inícialo otra vez y abre la dirección que muestra, o sigue con el motor del navegador.",
  "This computer gives no session: {problem}.": "Este ordenador no da ninguna sesión: {problem}.",
  "Update now": "Actualizar ahora",
  Later: "Más tarde",
  "A new version is ready. The page will load again; what you wrote and how far you are stay, Python’s variables do not.":
    "Hay una versión nueva. La página se cargará otra vez; lo que escribiste y hasta dónde llegaste se conservan, las variables de Python no.",
  "A new version is ready. The page will load again; what you wrote and how far you are stay.":
    "Hay una versión nueva. La página se cargará otra vez; lo que escribiste y hasta dónde llegaste se conservan.",
  "{name} cannot be fetched: its server is not there, or does not let other pages read its files. Download it and drop it here.":
    "No se puede traer {name}: su servidor no está, o no deja que otras páginas lean sus archivos. Descárgalo y suéltalo aquí.",
  "{name} cannot be fetched: the server answered {status}.":
    "No se puede traer {name}: el servidor respondió {status}.",
  "{name} is larger than the {size} that are left for files; remove some first.":
    "{name} ocupa más de los {size} que quedan para archivos; quita antes alguno.",
  "{name} has {size}, and {left} are left for files; remove some first.":
    "{name} ocupa {size}, y quedan {left} para archivos; quita antes alguno.",
  "{name} cannot be read. It may have been moved or changed, or is a folder; choose it again.":
    "No se puede leer {name}. Puede que se haya movido o cambiado, o que sea una carpeta; elígelo otra vez.",
  "“{text}” is no address; write one such as https://example.org/data.csv.":
    "«{text}» no es una dirección; escribe una como https://example.org/data.csv.",
  "This browser keeps no files here: they last as long as Python's session does.":
    "Este navegador no guarda archivos aquí: duran lo que dura la sesión de Python.",
  "This file has {size} MB; a progress file has {most} at most. Choose one that this page saved.":
    "Este archivo ocupa {size} MB; un archivo de progreso ocupa {most} como mucho. Elige uno guardado por esta página.",
  "This file cannot be read. It may have been moved or changed; choose it again.":
    "No se puede leer este archivo. Puede que se haya movido o cambiado; elígelo otra vez.",
  "This is not a glowgrad progress file. Choose one that this page saved.":
    "No es un archivo de progreso de glowgrad. Elige uno guardado por esta página.",
  "This file has version {version}; this page reads version {own}. Save it again with a page of this version.":
    "Este archivo tiene la versión {version}; esta página lee la versión {own}. Guárdalo otra vez con una página de esta versión.",
  "This progress file is damaged: its texts or its progress are missing.":
    "Este archivo de progreso está dañado: faltan sus textos o su progreso.",
  "This progress file names {n} texts and {m} lessons; {texts} and {lessons} are the most that this page takes.":
    "Este archivo de progreso nombra {n} textos y {m} lecciones; esta página toma {texts} y {lessons} como mucho.",
  "This progress file is damaged at text {n}.": "Este archivo de progreso está dañado en el texto {n}.",
  "This progress file is damaged at the lesson {name}.":
    "Este archivo de progreso está dañado en la lección {name}.",
  "This link is damaged: a part of it was cut off or changed on its way. Ask for it again.":
    "Este enlace está dañado: una parte se cortó o cambió en el camino. Pídelo otra vez.",
  "{n} characters of {m}": "{n} caracteres de {m}",
  "{n} characters of {m}, packed": "{n} caracteres de {m}, comprimidos",
  "This cell is too long for a link: {much}. Copy its text instead, or share a part of it.":
    "Esta celda es demasiado larga para un enlace: {much}. Copia su texto, o comparte una parte.",
  "This link has version {version}, and this page reads version {own}. Reload the page, or ask for the link again.":
    "Este enlace tiene la versión {version}, y esta página lee la versión {own}. Vuelve a cargar la página, o pide el enlace otra vez.",
  "This link is too long: {n} characters, and at most {m} are read.":
    "Este enlace es demasiado largo: {n} caracteres, y se leen {m} como mucho.",
  "This notebook is damaged at cell {n}.": "Este cuaderno está dañado en la celda {n}.",
  "This file has {size} MB; {most} is the most that is read here.":
    "Este archivo ocupa {size} MB; aquí se leen {most} como mucho.",
  "This file has {n} cells; {m} is the most that a notebook has here.":
    "Este archivo tiene {n} celdas; aquí un cuaderno tiene {m} como mucho.",
  "Cell {n} of this file has {length} characters; {m} is the most.":
    "La celda {n} de este archivo tiene {length} caracteres; {m} es el máximo.",
  "This is not a notebook: it has no nbformat.": "No es un cuaderno: no tiene nbformat.",
  "This notebook is not of nbformat 4, which is read here. Open it in Jupyter and save it again.":
    "Este cuaderno no es de nbformat 4, que es el que se lee aquí. Ábrelo en Jupyter y guárdalo otra vez.",
  "Choose a file that ends in .py or .ipynb.": "Elige un archivo que termine en .py o .ipynb.",
  "This is not a notebook: it is not JSON.": "No es un cuaderno: no es JSON.",
  "{name} is deleted.": "{name} se eliminó.",
  "{name} is open.": "{name} está abierto.",
  "First {label} in {text}": "Primer {label} en {text}",
  "{name} returned nothing": "{name} no devolvió nada",
  "Step {n} was not reached again.": "No se volvió a llegar al paso {n}.",
  "Step {n} cannot be had again: step {m} came out otherwise. Something in these cells is another each time, such as the clock or Python's random; seed it with torch.manual_seed(0) and random.seed(0).":
    "El paso {n} no se puede recuperar: el paso {m} salió distinto. Algo en estas celdas cambia cada vez, como el reloj o random de Python; fíjalo con torch.manual_seed(0) y random.seed(0).",
  "Step {n} could not be computed again: {problem}": "No se pudo calcular otra vez el paso {n}: {problem}",
  "Its figures were too large to keep. Run it to draw them again.":
    "Sus figuras eran demasiado grandes para guardarlas. Ejecútala para dibujarlas otra vez.",
  "Its figures and plots were too large to keep. Run it to draw them again.":
    "Sus figuras y gráficas eran demasiado grandes para guardarlas. Ejecútala para dibujarlas otra vez.",
  "Leaving the page interrupted this run. Run it again to see all of it.":
    "Dejar la página interrumpió esta ejecución. Ejecútala otra vez para verla entera.",
  "The session of this step has ended. Open the step again to read whole values.":
    "La sesión de este paso ha terminado. Abre otra vez el paso para leer los valores enteros.",
  "This picture is from before Python was restarted. Run its cell again to read whole values.":
    "Este dibujo es de antes de que Python se reiniciara. Ejecuta otra vez su celda para leer los valores enteros.",
  "The engine did not answer.": "El motor no respondió.",
  "The example of {name}, yours to change. What you wrote in {cells} is kept.":
    "El ejemplo de {name}, tuyo para cambiarlo. Lo que escribiste en {cells} se conserva.",
  "your own cells": "tus propias celdas",
  "This link cannot be opened": "Este enlace no se puede abrir",
  "A shared cell": "Una celda compartida",
  "1 line": "1 línea",
  "{n} lines": "{n} líneas",
  "{lines}, from the lesson {lesson} ({cell}).": "{lines}, de la lección {lesson} ({cell}).",
  "{lines}, from a lesson that this lab does not have, “{lesson}”.":
    "{lines}, de una lección que este laboratorio no tiene, «{lesson}».",
  "{lines}, from a free cell.": "{lines}, de una celda libre.",
  "Nothing has run yet. Read it, then press Run.":
    "Todavía no se ha ejecutado nada. Léela y luego pulsa Ejecutar.",
  "It can print and draw here, and reaches no file and no network.":
    "Aquí puede imprimir y dibujar, y no llega a ningún archivo ni a la red.",
  "Random numbers start from seed {n}.": "Los números aleatorios empiezan en la semilla {n}.",
  "Run first runs what stands before it in the lesson: {names}.":
    "Ejecutar ejecuta antes lo que está antes en la lección: {names}.",
  "Your own cells are as you left them; what you change here is not kept. Copy the link again to keep it.":
    "Tus celdas están como las dejaste; lo que cambias aquí no se guarda. Copia el enlace otra vez para guardarlo.",
  "A cell": "Una celda",
  "Open in glowgrad": "Abrir en glowgrad",
  "The clipboard is closed to this page. Copy {what} here:":
    "El portapapeles está cerrado para esta página. Copia aquí {what}:",
  "No learning platform was found around this page: how far you are is kept in this browser alone.":
    "No se encontró ninguna plataforma de aprendizaje alrededor de esta página: hasta dónde llegaste se guarda solo en este navegador.",
  "How far you are goes to the learning platform.":
    "Hasta dónde llegaste se envía a la plataforma de aprendizaje.",
  "The learning platform did not begin ({problem}): how far you are is kept in this browser alone.":
    "La plataforma de aprendizaje no empezó ({problem}): hasta dónde llegaste se guarda solo en este navegador.",
  "the link": "el enlace",
  "{reason}. Its variables are gone. Run these again: {cells}.":
    "{reason}. Sus variables se perdieron. Ejecuta otra vez estas: {cells}.",
  "{name} ended unexpectedly ({problem})": "{name} terminó de forma inesperada ({problem})",
  "{name} could not be loaded: {problem}": "No se pudo cargar {name}: {problem}",
  "its worker could not be started": "su worker no se pudo iniciar",
  "Stopped: it did not end by itself": "Detenido: no terminó por sí mismo",
  "its worker is gone": "su worker ya no está",
  "The engine": "El motor",
  " and ": " y ",
};

/** What only some routes need; App.svelte says which. */
export const parts = {
  bench: () => import("./es/bench"),
  reference: () => import("./es/reference"),
  studio: () => import("./es/studio"),
  teachers: () => import("./es/teachers"),
};

export default { ...page, ...instruments, ...stage };
