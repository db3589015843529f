import { checkAdminSecret } from "@/lib/access/admin-secret";
import { AppError } from "@/lib/wire/errors";
import { clientAddress } from "./client-address";

/**
 * Requires the administrator secret in `X-Admin-Secret`. Throws 401 without one, 403 for a wrong one, and 429 after ten
 * wrong ones from a network, or too many from all networks, within a minute. `missingDetail` replaces the sentence of the 401.
 */
export async function requireAdministrator(request: Request, missingDetail?: string): Promise<void> {
  const judged = await checkAdminSecret(
    request.headers.get("x-admin-secret"),
    clientAddress(request.headers),
  );
  switch (judged.verdict) {
    case "right":
      return;
    case "missing":
      throw new AppError("admin_secret_missing", missingDetail ? { detail: missingDetail } : {});
    case "wrong":
      throw new AppError("admin_secret_invalid");
    case "blocked":
      throw new AppError("rate_limited", {
        detail: `Too many wrong administrator secrets. Try again in ${judged.retryAfterSeconds} s.`,
        headers: { "Retry-After": String(judged.retryAfterSeconds) },
      });
  }
}
