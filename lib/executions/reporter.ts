/** The key that a report came with, as far as recording it depends on it. */
export interface Reporter {
  subscriptionId: number;
  keyId: number;
  requestId: string;
  /** Access has ended and the closing window is open. */
  closeOnly: boolean;
  expiresAt: Date | null;
  /** When the key was looked up: the clock of this report. */
  seenAt: Date;
}
