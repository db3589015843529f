import type { FormState } from "@/app/admin/_components/flash-notice";
import { versionOf } from "@/lib/runtime/preview";

/** Sends the version of the stored values with a form, so that it does not overwrite a change made meanwhile. */
export function FormVersionField({ form, stored }: { form: FormState; stored: unknown }) {
  return <input type="hidden" name="version" value={form.values.version ?? versionOf(stored)} />;
}
