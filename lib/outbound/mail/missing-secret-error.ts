/** A stored mail whose secret was wiped cannot be written again. */
export class MissingSecretError extends Error {
  readonly code = "MAIL_SECRET_WIPED";
  constructor(kind: string) {
    super(`a ${kind} mail cannot be written without its secret`);
    this.name = "MissingSecretError";
  }
}

/** By name, because what writes mails is a bundle of its own, with a class of its own. */
export const isMissingSecret = (error: unknown) =>
  error instanceof Error && error.name === "MissingSecretError";
