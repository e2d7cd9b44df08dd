// What becomes of an element: it is stored. Where a kernel follows that reads the result, the backend puts that
// here instead, as the epilogue: the result itself is then stored nowhere.

@group(0) @binding(2) var<storage, read_write> out: array<Element>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

fn store(at: u32, element: Element) { out[at] = element; }
