import { z } from "zod";

const CONTROL = /\p{Cc}/u;

/** A person's name: 1 to 120 characters after trimming, in one line. */
export const PersonName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(120, "must have at most 120 characters")
  // No regex() here: it would stand in the OpenAPI document as a pattern that not every client can read.
  .refine((name) => !CONTROL.test(name), "must not hold control characters")
  // Half of a surrogate pair, or bytes that are no text, are read as this sign.
  .refine((name) => !name.includes("\ufffd"), "holds a character that was lost on the way");
