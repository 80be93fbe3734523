/**
 * The import circles of a graph: its strongly connected components of more than one file, and files that import
 * themselves. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972.
 */
export function circles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];

  const explore = (node: string): void => {
    const index = order.size;
    order.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) {
        explore(next);
        lowest.set(node, Math.min(lowest.get(node) ?? index, lowest.get(next) ?? index));
      } else if (stack.includes(next)) {
        lowest.set(node, Math.min(lowest.get(node) ?? index, order.get(next) ?? index));
      }
    }
    if (lowest.get(node) !== index) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || (edges.get(node) ?? []).includes(node)) found.push(component.toSorted());
  };

  for (const node of edges.keys()) if (!order.has(node)) explore(node);
  return found;
}
