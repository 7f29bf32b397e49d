/** For how many hours deliveries are signed with the previous secret too, after a rotation. */
export const overlapHours = { default: 24, max: 7 * 24 } as const;
