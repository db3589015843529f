/** The former words of `front-channel.ts`, for what still uses them. */
import { atFront, hasFront } from "./front-channel";

export const atFirst = atFront;

/** What only the front counts. */
export function inEachProcess<A extends unknown[], T>(name: string, answer: (...args: A) => T | Promise<T>) {
  const ask = atFront(name, answer);
  return async (...args: A): Promise<Awaited<T>[]> => [await ask(...args)];
}

/** Here, and in the front where that is another process. */
export function inEach<A extends unknown[], T>(name: string, answer: (...args: A) => T | Promise<T>) {
  const ask = atFront(name, answer);
  return async (...args: A): Promise<Awaited<T>[]> => [
    ...(hasFront() ? [await answer(...args)] : []),
    await ask(...args),
  ];
}

/** Whether this process makes pages. */
export const isPagesThread = hasFront;
