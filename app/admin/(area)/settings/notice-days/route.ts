import { formAt } from "@/app/admin/(area)/settings/_components/form-at";

/** POST: the form of a setting whose address has one part. */
export const POST = formAt("notice-days");
