/**
 * Mails per second if the provider sets no limit. Rendering a mail takes some milliseconds of the process that
 * answers requests, and a thousand reminders must not slow those requests down.
 */
export const MAILS_PER_SECOND = 20;
