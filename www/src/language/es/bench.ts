// The texts of the bench in Spanish: the English text, then the Spanish one.
const texts: Record<string, string> = {
  Bench: "Medición",
  "Run measures how fast the engine computes on this computer: {n} rows, from a product of two matrices to a training step. Each row runs on the CPU, and on WebGPU where the browser has it. A run takes about 15 seconds, and a minute or two where WebGPU is a program on the processor. Nothing is sent anywhere.":
    "Ejecutar mide qué tan rápido calcula el motor en este ordenador: {n} filas, desde un producto de dos matrices hasta un paso de entrenamiento. Cada fila se ejecuta en la CPU, y en WebGPU donde el navegador lo tiene. Una ejecución tarda unos 15 segundos, y un minuto o dos donde WebGPU es un programa en el procesador. Nada se envía a ningún sitio.",
  Copied: "Copiado",
  "The figures": "Las cifras",
  "Copy as JSON": "Copiar como JSON",
  "The figures are on the clipboard.": "Las cifras están en el portapapeles.",
  "the figures": "las cifras",
  Row: "Fila",
  Device: "Dispositivo",
  Median: "Mediana",
  "Middle half": "Mitad central",
  Rate: "Ritmo",
  "Of the limit": "Del límite",
  "one run": "una ejecución",
  limit: "límite",
  "the fastest product of two matrices, or the fastest plain pass over a million elements, on the same device in this run":
    "el producto de dos matrices más rápido, o la pasada sencilla más rápida por un millón de elementos, en el mismo dispositivo y en esta ejecución",
  "Longer is faster. The bars of a row have one scale; a hollow bar is of an untimed first run.":
    "Más largo es más rápido. Las barras de una fila tienen una sola escala; una barra hueca es de una primera ejecución sin medir.",
  "What was measured": "Qué se midió",
  "A time is that of one result: the median over the rounds, and the range of their middle half. In each round a row computes its result again and again for about 40 ms, and the clock stops when a number has been read that depends on every element of the last result. A slow row is timed in fewer rounds. Before the rounds each row runs untimed, and its result on another device is compared with that of the CPU.":
    "Un tiempo es el de un resultado: la mediana de las rondas y el intervalo de su mitad central. En cada ronda una fila calcula su resultado una y otra vez durante unos 40 ms, y el reloj se detiene cuando se ha leído un número que depende de cada elemento del último resultado. Una fila lenta se mide en menos rondas. Antes de las rondas cada fila se ejecuta sin medir, y su resultado en otro dispositivo se compara con el de la CPU.",
  "1 GFLOP/s is a thousand million multiplications and additions a second, counted in products of matrices. 1 GB/s is a thousand million bytes a second, counting what has to be read and written once. What a row does besides is not counted: it makes its bar shorter.":
    "1 GFLOP/s son mil millones de multiplicaciones y sumas por segundo, contadas en productos de matrices. 1 GB/s son mil millones de bytes por segundo, contando lo que hay que leer y escribir una vez. Lo que una fila hace además no se cuenta: acorta su barra.",
  "Other programs and pages that compute at the same time make them worse, and so does a processor that saves power or is hot. Wide ranges are a sign of that.":
    "Otros programas y páginas que calculan a la vez las empeoran, y también un procesador que ahorra energía o está caliente. Los intervalos anchos son señal de eso.",
  "The Python of the rows": "El Python de las filas",
  "about {time}": "unos {time}",
  "These figures were measured in the engine of this computer, with {threads} on a computer of {n} processors.":
    "Estas cifras se midieron en el motor de este ordenador, con {threads}, en un ordenador de {n} procesadores.",
  "These figures were measured in this browser, with {threads} on a computer of {n} processors.":
    "Estas cifras se midieron en este navegador, con {threads}, en un ordenador de {n} procesadores.",
  "The browser calls its GPU “{name}”.": "El navegador llama a su GPU «{name}».",
  "one thread": "un hilo",
  "{n} threads": "{n} hilos",
  "Python is starting.": "Python se está iniciando.",
  "Every row is run once or twice, untimed.": "Cada fila se ejecuta una o dos veces, sin medir.",
  "Stopped. What was measured before stays here.": "Detenido. Lo que se midió antes queda aquí.",
  Rounds: "Rondas",
  "The run": "La ejecución",
  "Round {n} of {m}.": "Ronda {n} de {m}.",
  "Done in {n} seconds.": "Hecho en {n} segundos.",
  "The run ended early.": "La ejecución terminó antes de tiempo.",
  "One op": "Una operación",
  "Product of 512 × 512": "Producto de 512 × 512",
  "Sum of two tensors, 1,000,000 elements": "Suma de dos tensores, 1,000,000 de elementos",
  "Exponential, 1,000,000 elements": "Exponencial, 1,000,000 de elementos",
  "Softmax, 1000 × 1000": "Softmax, 1000 × 1000",
  "Layer norm, 1000 × 1000": "Layer norm, 1000 × 1000",
  "Eight ops in a row, 1,000,000 elements": "Ocho operaciones seguidas, 1,000,000 de elementos",
  "Fused: one kernel": "Fusionadas: un kernel",
  "Not fused: a kernel for each op": "Sin fusionar: un kernel por operación",
  "A training step: forward, backward and Adam":
    "Un paso de entrenamiento: hacia delante, hacia atrás y Adam",
  "Perceptron 784-256-128-10, 128 images": "Perceptrón 784-256-128-10, 128 imágenes",
  "CNN of two convolutions, 32 images": "CNN de dos convoluciones, 32 imágenes",
  Limits: "Límites",
  "Product of 1024 × 1024": "Producto de 1024 × 1024",
  "Plain pass over 1,000,000 elements": "Pasada sencilla por 1,000,000 de elementos",
  "Plain pass over 16,000,000 elements, more than caches hold":
    "Pasada sencilla por 16,000,000 de elementos, más de lo que cabe en las cachés",
  "Not timed: its result adds up to {value}, and the CPU's to {expected}.":
    "Sin medir: su resultado suma {value}, y el de la CPU, {expected}.",
  "It is not there.": "No está.",
  "The session has no device.": "La sesión no tiene ningún dispositivo.",
  "Left out: this device is too slow for it.": "Omitida: este dispositivo es demasiado lento para ella.",
  "Its result is not a finite number.": "Su resultado no es un número finito.",
};

export default texts;
