/** Maximum number of damaged builds of a view that are set aside within `setAsideWithinMs`, and that are kept. */
export const mostSetAside = 3;

/** A build that is damaged again and again does not suffer from an accident: rebuilding it does not help. */
export const setAsideWithinMs = 3_600_000;

/** How long the contents are kept, for an examination of the damage: they may be personal data. */
export const keepSetAsideMs = 7 * 24 * 3_600_000;
