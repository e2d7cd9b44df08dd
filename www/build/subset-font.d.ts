// Types of the functions that the build uses of the package, which ships none.
declare module "subset-font" {
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: {
      targetFormat: "woff2";
      variationAxes?: Record<string, number | { min: number; max: number }>;
      /** Layout features to keep; all of them when absent. */
      keepFeatures?: string[];
    },
  ): Promise<Uint8Array>;
}
