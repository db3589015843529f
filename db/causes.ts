/** Whether an error or one of its causes matches: layers above the driver wrap its errors. */
export function hasCause(error: unknown, is: (cause: Error) => boolean): boolean {
  for (let current = error; current instanceof Error; current = current.cause) if (is(current)) return true;
  return false;
}
