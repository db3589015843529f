import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  appendTreeLeaves,
  consistencyProof,
  EMPTY_ROOT,
  inclusionProof,
  leafHash,
  type ReadNodes,
  rootOf,
} from "@/lib/signals/ledger/merkle-tree";

const sha = (...parts: (Buffer | string)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

/** MTH of RFC 6962, section 2.1, implemented literally: recursive over the whole list. */
function referenceRoot(leaves: string[]): Buffer {
  if (leaves.length === 0) return sha("");
  if (leaves.length === 1) return sha(Buffer.of(0), leaves[0] ?? "");
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha(Buffer.of(1), referenceRoot(leaves.slice(0, k)), referenceRoot(leaves.slice(k)));
}

/** PATH of section 2.1.1. */
function referencePath(m: number, leaves: string[]): Buffer[] {
  if (leaves.length <= 1) return [];
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return m < k
    ? [...referencePath(m, leaves.slice(0, k)), referenceRoot(leaves.slice(k))]
    : [...referencePath(m - k, leaves.slice(k)), referenceRoot(leaves.slice(0, k))];
}

/** SUBPROOF of section 2.1.2. */
function referenceSubproof(m: number, leaves: string[], whole: boolean): Buffer[] {
  if (m === leaves.length) return whole ? [] : [referenceRoot(leaves)];
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return m <= k
    ? [...referenceSubproof(m, leaves.slice(0, k), whole), referenceRoot(leaves.slice(k))]
    : [...referenceSubproof(m - k, leaves.slice(k), false), referenceRoot(leaves.slice(0, k))];
}

const N = 70;
const leaves = Array.from({ length: N }, (_, i) => `entry ${i}`);

/** Appends in steps of different lengths, storing subtrees like the database. */
function grow(steps: number[]) {
  const nodes = new Map<string, Uint8Array>();
  let [size, peaks] = [0, [] as Uint8Array[]];
  for (const step of steps) {
    const fresh = leaves.slice(size, size + step).map(leafHash);
    for (const [i, hash] of fresh.entries()) nodes.set(`0/${size + i}`, hash);
    const grown = appendTreeLeaves(size, peaks, fresh);
    for (const { level, position, hash } of grown.completed) {
      expect(nodes.has(`${level}/${position}`)).toBe(false);
      nodes.set(`${level}/${position}`, hash);
    }
    size += fresh.length;
    peaks = grown.peaks;
  }
  const read: ReadNodes = async (wanted) =>
    wanted.map(({ level, position }) => {
      const hash = nodes.get(`${level}/${position}`);
      if (hash === undefined) throw new Error(`no subtree ${level}/${position}`);
      return hash;
    });
  return { size, peaks, read };
}

describe("the Merkle tree", () => {
  it("the Merkle tree has the standard's root at every size, grown at once or in three steps", () => {
    expect(Buffer.from(EMPTY_ROOT).equals(sha(""))).toBe(true);
    for (let size = 1; size <= N; size++) {
      const whole = rootOf(grow([size]).peaks);
      const inSteps = rootOf(grow([Math.floor(size / 3), 1, size - Math.floor(size / 3) - 1]).peaks);
      expect(Buffer.from(whole).toString("hex")).toBe(referenceRoot(leaves.slice(0, size)).toString("hex"));
      if (size > 3) expect(Buffer.from(inSteps)).toEqual(Buffer.from(whole));
    }
  });

  it("the Merkle tree gives the standard's inclusion proof for every entry at every third size", async () => {
    const { read } = grow([N]);
    for (let size = 1; size <= N; size += 3)
      for (let index = 0; index < size; index++)
        expect(
          (await inclusionProof(index, size, read)).map((hash) => Buffer.from(hash).toString("hex")),
        ).toEqual(referencePath(index, leaves.slice(0, size)).map((hash) => hash.toString("hex")));
  });

  it("the Merkle tree gives the standard's consistency proof from every size to every second size", async () => {
    const { read } = grow([20, 50]);
    for (let second = 1; second <= N; second += 2)
      for (let first = 1; first <= second; first++)
        expect(
          (await consistencyProof(first, second, read)).map((hash) => Buffer.from(hash).toString("hex")),
        ).toEqual(
          referenceSubproof(first, leaves.slice(0, second), true).map((hash) => hash.toString("hex")),
        );
  });

  it("the Merkle tree refuses peaks that do not belong to its size", () => {
    expect(() => appendTreeLeaves(3, [leafHash("a")], [leafHash("b")])).toThrow(RangeError);
  });
});
