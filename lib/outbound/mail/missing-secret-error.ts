/** A stored mail cannot be rendered again, because its secret was deleted. */
export class MissingMailSecretError extends Error {
  readonly code = "MAIL_SECRET_WIPED";
  constructor(kind: string) {
    super(`a ${kind} mail cannot be rendered without its secret`);
    this.name = "MissingMailSecretError";
  }
}
