const KNOWN: Record<string, string> = {
  link_expired: "The link in it had expired.",
  secret_wiped: "Its key or link was already deleted.",
  not_written: "The mail could not be composed. The log has the reason.",
  resend_unreachable: "Resend did not answer.",
};

/** Meaning of nodemailer's error codes, for failures before the SMTP server replied to the mail. */
const SMTP: Record<string, string> = {
  EAUTH: "The SMTP server refused the user name or password.",
  ENOAUTH: "The SMTP server needs a user name and password.",
  EDNS: "The name of the SMTP server was not found.",
  ECONNECTION: "The SMTP server could not be reached.",
  ECONNREFUSED: "The SMTP server could not be reached.",
  ESOCKET: "The SMTP server could not be reached.",
  ETIMEDOUT: "The SMTP server did not answer in time.",
  ETLS: "No encrypted connection to the SMTP server was possible.",
};

/** Meaning of Resend's HTTP statuses. */
const RESEND: Record<string, string> = {
  401: "Resend refused the API key.",
  403: "Resend refused the sender: its domain is not verified, or the API key may not use it.",
  422: "Resend refused the mail: an address or a field is not valid.",
  429: "Resend's limit was reached.",
};

/** The stored code of a failed mail as a sentence; null if the code has no explanation here. */
export function mailFailureText(code: string): string | null {
  const [by = "", ...parts] = code.split("_");
  if (KNOWN[code] !== undefined) return KNOWN[code];
  if (by === "resend") return RESEND[parts[0] ?? ""] ?? null;
  if (by === "outbox") return "The file could not be written to the local outbox.";
  if (by !== "smtp") return null;
  const known = parts.map((part) => SMTP[part]).find((text) => text !== undefined);
  if (known !== undefined) return known;
  const status = Number(parts[0]);
  if (status >= 500 && parts.includes("EENVELOPE"))
    return "The SMTP server refused the recipient's or the sender's address.";
  if (status >= 400) return `The SMTP server ${status >= 500 ? "refused the mail" : "asked to try later"}.`;
  return null;
}
