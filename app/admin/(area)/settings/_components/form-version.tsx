import type { FormState } from "@/app/admin/_components/flash-notice";
import { versionOf } from "@/lib/runtime/preview";

/** Tells with a form what it was filled from, so that it does not overwrite what another stored meanwhile. */
export function FormVersion({ form, stored }: { form: FormState; stored: unknown }) {
  return <input type="hidden" name="version" value={form.values.version ?? versionOf(stored)} />;
}
