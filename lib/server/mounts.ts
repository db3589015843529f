/** What the server takes of `app`: a test holds the mounts against the tree and the OpenAPI document. */
export { parseTheme } from "@/app/_components/theme";
export { guardOf } from "@/app/guarded-areas";
export { MOUNTS } from "@/app/mounts.generated";
export { isBare, isFixed, isPlain, publicQuery } from "@/app/pages";
