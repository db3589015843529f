import { TEST_EVENT, type WebhookEvent } from "@/lib/vocabulary";

/** What each event is about. */
export const EVENT_WORDS: Record<WebhookEvent, string> = {
  "signal.created": "a new signal of your slots",
  "signal.resolved": "the result of a signal",
  "model.changed": "a slot's model changed",
  "key.expiring": "7, 3 and 1 days before your access ends",
};

/** An event's name as it is sent; the portal's own test in plain words. */
export const eventName = (event: string): string => (event === TEST_EVENT ? "Test" : event);
