/** Why and since when only closings are accepted. */
export interface ClosingWindow {
  code: "key_expired" | "key_suspended";
  since: Date;
}

/** The parts of a report's key that recording needs. */
export interface Reporter {
  subscriptionId: number;
  keyId: number;
  requestId: string;
  /** The terminal's name from its header; null or missing: none. */
  terminal?: string | null;
  /** Set if access has ended or is suspended and the closing window is open. */
  closeOnly: ClosingWindow | null;
  /** When the key was looked up. The report is judged as of this time. */
  seenAt: Date;
}
