/** Why and since when closings alone are taken. */
export interface ClosingWindow {
  code: "key_expired" | "key_suspended";
  since: Date;
}

/** The key that a report came with, as far as recording it depends on it. */
export interface Reporter {
  subscriptionId: number;
  keyId: number;
  requestId: string;
  /** The terminal that named itself; null or missing: none did. */
  terminal?: string | null;
  /** Access has ended or is suspended, and the closing window is open. */
  closeOnly: ClosingWindow | null;
  /** When the key was looked up: the clock of this report. */
  seenAt: Date;
}
