/** Whether an error or one of its causes matches. The causes matter because drizzle wraps the driver's errors. */
export function hasCause(error: unknown, is: (cause: Error) => boolean): boolean {
  for (let current = error; current instanceof Error; current = current.cause) if (is(current)) return true;
  return false;
}
