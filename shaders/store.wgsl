// What becomes of an element: it is stored.

@group(0) @binding(2) var<storage, read_write> out: array<Element>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

fn store(at: u32, element: Element) { out[at] = element; }
