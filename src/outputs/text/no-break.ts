// Numbers that stay on one line with their units.

/**
 * Of money three capital letters, as currencies have them. A name that tells an amount is kept whole like one. A sum of millions is not:
 * in a narrow figure it would be broken within its currency.
 */
const UNIT = /(?<![\d.,]{11})(\d) (?=(?:%|s|min|h|d|kB|MB|GB|CU|CU-hours|[A-Z]{3})(?![\w-]))/g

/** For HTML only: a text with no-break spaces where a line would part a number from its unit. */
export const withNoBreakSpaces = (text: string): string => text.replaceAll(UNIT, '$1\u00A0')
