/**
 * Mails a second where the other side sets no limit. Writing one takes some milliseconds of the process that answers
 * requests: a thousand reminders at once must not be felt by anyone who is waiting for an answer.
 */
export const BACKGROUND_PER_SECOND = 20;
