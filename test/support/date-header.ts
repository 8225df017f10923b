/** A server that keeps its `Date` for a while, ms, and makes it anew `phase` ms after each. */
export type KeptDate = { readonly kept: number; readonly phase: number }

export const FRESH_DATE: KeptDate = { kept: 0, phase: 0 }

/** The header of an answer that is written at `at`. */
export const dateHeader = (at: number, { kept, phase }: KeptDate): string =>
  new Date(kept === 0 ? at : Math.floor((at - phase) / kept) * kept + phase).toUTCString()
