import { settingFormHandler } from "@/app/admin/(area)/settings/_components/setting-form-handler";

/** POST: the form of the setting “notice days”, whose address has one segment and so does not match `[page]/[form]`. */
export const POST = settingFormHandler("notice-days");
