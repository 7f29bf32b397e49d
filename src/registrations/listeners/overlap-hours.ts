/** For how many hours deliveries are signed with the previous secret too, after a rotation. */
export const overlapHours = { usual: 24, most: 7 * 24 } as const;
