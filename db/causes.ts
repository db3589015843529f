/** Whether an error, or what caused it, is such a one: the layers above the driver wrap what went wrong in it. */
export function hasCause(error: unknown, is: (cause: Error) => boolean): boolean {
  for (let current = error; current instanceof Error; current = current.cause) if (is(current)) return true;
  return false;
}
