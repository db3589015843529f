/** Why and since when only closings are accepted. */
export interface CloseOnlyWindow {
  code: "key_expired" | "key_suspended";
  since: Date;
}

/** The sender of a report: the fields of its key and its request that recording the report needs. */
export interface Reporter {
  subscriptionId: number;
  keyId: number;
  requestId: string;
  /** The terminal's name from its header; null or missing: none. */
  terminal?: string | null;
  /** Set if access has ended or is suspended and the closing window is open. */
  closeOnly: CloseOnlyWindow | null;
  /** When the key was looked up. The report is judged as of this time. */
  seenAt: Date;
}
