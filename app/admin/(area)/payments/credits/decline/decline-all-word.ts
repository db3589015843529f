/** The word that an administrator types to decline all proposed credits. */
export const DECLINE_ALL_WORD = "DECLINE";
