import { WEBHOOK_TEST_EVENT, type WebhookEvent } from "@/lib/vocabulary";

/** Explanation of each event. */
export const EVENT_LABELS: Record<WebhookEvent, string> = {
  "signal.created": "a new signal of your slots",
  "signal.resolved": "the result of a signal",
  "model.changed": "a slot's model changed",
  "key.expiring": "7, 3 and 1 days before your access ends",
};

/** The name of an event as it is sent. The test event of the portal is shown as “Test”. */
export const eventName = (event: string): string => (event === WEBHOOK_TEST_EVENT ? "Test" : event);
