import { AppError } from "@/lib/wire/errors";

/** What was read, or null when the record knows no such slot or model. */
export async function known<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}
