/** A stored mail whose secret was wiped cannot be written again. */
export class MissingSecretError extends Error {
  readonly code = "MAIL_SECRET_WIPED";
  constructor(kind: string) {
    super(`a ${kind} mail cannot be written without its secret`);
    this.name = "MissingSecretError";
  }
}
