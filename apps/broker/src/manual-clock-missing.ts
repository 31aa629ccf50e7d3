/** What is said to who asks for something that only a manual clock allows. */

/** As a command line has it, and a program that has the broker in its own process. */
export const MANUAL_CLOCK = 'start the broker with --clock manual (in a program, clock: "manual")';
