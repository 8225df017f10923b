/**
 * Weight of a difference, from 0 to 1, by its square in variances of its noise: a half at `gate`. The ratio is squared, so that noise
 * within a few variances moves nothing and a real difference nearly everything.
 */
export const noiseGate = (variances: number, gate: number): number => 1 - 1 / (1 + (variances / gate) ** 2)
