const FRESH_MINUTES = 10;

/** Whether the sign-in is recent enough for what cannot be undone. */
export function isFreshSignIn(signedInAt: Date, now: Date): boolean {
  return now.getTime() - signedInAt.getTime() <= FRESH_MINUTES * 60_000;
}
