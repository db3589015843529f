import { AppError } from "@/lib/wire/errors";

/**
 * Returns null instead of an AppError with status 404: the record has no such slot or model. Other errors are rethrown.
 */
export async function nullIfMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}
