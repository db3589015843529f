import { z } from "zod";

/** Matches control characters, line breaks, and characters that change the direction of text. */
export const UNPRINTABLE_CHARACTER = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A person's name: 1 to 120 characters after trimming, on one line. */
export const PersonName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(120, "must have at most 120 characters")
  // No regex(), because the OpenAPI document would then contain a pattern that some clients cannot parse.
  .refine((name) => !UNPRINTABLE_CHARACTER.test(name), "must not contain control characters")
  // Half of a surrogate pair, or invalid UTF-8, is decoded as this character.
  .refine((name) => !name.includes("\ufffd"), "contains a character that was lost in transit");
