import { processWide } from "./process-wide";

/** Gives a place back; calling it again does nothing. */
export type GiveBack = () => void;

const taken = () => processWide("places", () => new Map<string, number>());

/** Takes one of `most` places of this name in this process; null when all are taken. */
export function takePlace(name: string, most: number): GiveBack | null {
  const count = taken().get(name) ?? 0;
  if (count >= most) return null;
  taken().set(name, count + 1);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (taken().get(name) ?? 1) - 1;
    if (left > 0) taken().set(name, left);
    else taken().delete(name);
  };
}
