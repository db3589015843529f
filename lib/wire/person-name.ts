import { z } from "zod";

/** Control characters, breaks of lines, and signs that turn the direction of what follows. */
export const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A person's name: 1 to 120 characters after trimming, in one line. */
export const PersonName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(120, "must have at most 120 characters")
  // No regex() here: it would stand in the OpenAPI document as a pattern that not every client can read.
  .refine((name) => !UNPRINTABLE.test(name), "must not hold control characters")
  // Half of a surrogate pair, or bytes that are no text, are read as this sign.
  .refine((name) => !name.includes("\ufffd"), "holds a character that was lost on the way");
