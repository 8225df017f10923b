/**
 * How far to believe in a difference that is so many variances of its noise, squared, away from 0: from 0 to 1, a half at
 * `gate`. Squared once more, so that noise within a few variances moves nothing and a real difference nearly everything.
 */
export const noiseGate = (variances: number, gate: number): number => 1 - 1 / (1 + (variances / gate) ** 2)
