import { createHash } from "node:crypto";

/**
 * A Merkle tree after RFC 6962, section 2, stored as its complete subtrees: the one of `level` and `position`
 * covers 2^level leaves from position x 2^level on. A complete subtree never changes.
 */

export type Hash = Uint8Array;

/** Reads the stored hashes of complete subtrees, in the order of `wanted`. */
export type ReadNodes = (wanted: readonly MerkleNode[]) => Promise<Hash[]>;

export interface MerkleNode {
  level: number;
  position: number;
}

export interface HashedNode extends MerkleNode {
  hash: Hash;
}

export const leafHash = (content: Uint8Array | string): Hash =>
  createHash("sha256").update(LEAF).update(content).digest();
export const nodeHash = (left: Hash, right: Hash): Hash =>
  createHash("sha256").update(INNER).update(left).update(right).digest();
const LEAF = Uint8Array.of(0);
const INNER = Uint8Array.of(1);
/** The root of a tree without leaves. */
export const EMPTY_ROOT: Hash = createHash("sha256").digest();

/** The complete subtrees of a tree of `size` leaves, from the left: one for each 1 in the binary form of `size`. */
export function peaksOf(size: number): MerkleNode[] {
  return rangeNodes(0, size);
}

/**
 * The complete subtrees of the leaves from `start` up to but without `end`, largest first. `start` must be a multiple
 * of a power of two that is at least `end - start`.
 */
function rangeNodes(start: number, end: number): MerkleNode[] {
  const nodes: MerkleNode[] = [];
  for (let at = start; at < end; ) {
    const level = Math.floor(Math.log2(end - at));
    nodes.push({ level, position: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The root of a tree from its complete subtrees, given from left to right, the largest first. */
export function rootOf(peaks: readonly Hash[]): Hash {
  const [last, ...before] = peaks.toReversed();
  return last === undefined ? EMPTY_ROOT : before.reduce((right, left) => nodeHash(left, right), last);
}

/**
 * Computes, without storing it, how a tree of `size` leaves changes when leaves are appended. `peaks` are the hashes of
 * `peaksOf(size)`. Returns the subtrees of level 1 and above that the new leaves complete, and the new peaks.
 */
export function appendTreeLeaves(
  size: number,
  peaks: readonly Hash[],
  leaves: readonly Hash[],
): { completed: HashedNode[]; peaks: Hash[] } {
  const completed: HashedNode[] = [];
  const stack = [...peaks];
  for (const [i, leaf] of leaves.entries()) {
    let hash = leaf;
    // Each 1 at the end of the binary leaf count stands for a subtree that this leaf completes.
    for (let [level, position] = [0, size + i]; position % 2 === 1; ) {
      const left = stack.pop();
      if (left === undefined) throw new RangeError("the peaks are not those of this size");
      hash = nodeHash(left, hash);
      level++;
      position = (position - 1) / 2;
      completed.push({ level, position, hash });
    }
    stack.push(hash);
  }
  return { completed, peaks: stack };
}

/** Largest power of two below `n`; n > 1. */
function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** The leaves, from `start` up to but without `end`, that one hash of a proof covers. */
type Range = { start: number; end: number };

/**
 * Proof that a leaf is in the tree of `size` leaves: the sibling hashes up to the root (RFC 6962, section
 * 2.1.1).
 */
export async function inclusionProof(index: number, size: number, read: ReadNodes): Promise<Hash[]> {
  const beside: Range[] = [];
  for (let [start, end] = [0, size]; end - start > 1; ) {
    const middle = start + split(end - start);
    if (index < middle) {
      beside.push({ start: middle, end });
      end = middle;
    } else {
      beside.push({ start, end: middle });
      start = middle;
    }
  }
  return hashRanges(beside.toReversed(), read);
}

/** Proof that the tree of `second` leaves extends the one of `first` (RFC 6962, section 2.1.2). */
export async function consistencyProof(first: number, second: number, read: ReadNodes): Promise<Hash[]> {
  if (first === 0 || first === second) return [];
  const ranges: Range[] = [];
  let [start, end, isWhole] = [0, second, true];
  while (first < end) {
    const middle = start + split(end - start);
    if (first <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
      isWhole = false;
    }
  }
  if (!isWhole) ranges.push({ start, end });
  return hashRanges(ranges.toReversed(), read);
}

/** The hashes of ranges of leaves, read in one call. */
async function hashRanges(ranges: readonly Range[], read: ReadNodes): Promise<Hash[]> {
  const parts = ranges.map(({ start, end }) => rangeNodes(start, end));
  const hashes = await read(parts.flat());
  let at = 0;
  return parts.map((nodes) => {
    at += nodes.length;
    return rootOf(hashes.slice(at - nodes.length, at));
  });
}
