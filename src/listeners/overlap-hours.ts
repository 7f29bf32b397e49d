// Alone, because the help of the command line names it and loads no validation.
/** Hours after a rotation in which deliveries are also signed with the previous secret. */
export const overlapHours = { default: 24, max: 7 * 24 } as const;
