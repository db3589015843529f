import { settingFormHandler } from "@/app/admin/(area)/settings/_components/form-at";

/** POST: a setting at an address with a single segment. */
export const POST = settingFormHandler("notice-days");
