import { NamespaceQueue } from "../../../src/kubernetes/namespace-queue.js";

function queueOf(...names: readonly string[]): NamespaceQueue {
  const queue = new NamespaceQueue(2);
  for (const name of names) queue.add({ namespace: name.charAt(0), key: name });
  return queue;
}

function taken(queue: NamespaceQueue): readonly string[] {
  const keys: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) keys.push(next.key);
  return keys;
}

test("namespaces take turns, each with so many objects under way", () => {
  const queue = queueOf("a1", "a2", "a3", "a4", "b1", "b2", "c1");
  expect(taken(queue)).toEqual(["a1", "b1", "c1", "a2", "b2"]);
  expect(queue.isEmpty).toBe(false);
  queue.done({ namespace: "a" });
  expect(taken(queue)).toEqual(["a3"]);
  queue.done({ namespace: "a" });
  queue.done({ namespace: "a" });
  expect(taken(queue)).toEqual(["a4"]);
  expect(queue.isEmpty).toBe(true);
});

test("an object waits once", () => {
  expect(taken(queueOf("a1", "a1", "b1"))).toEqual(["a1", "b1"]);
});
