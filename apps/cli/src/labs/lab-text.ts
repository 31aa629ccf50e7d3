/** One lab. */
export interface LabText {
  readonly name: string;
  readonly title: string;
  /** See lab-script.ts. */
  readonly script: string;
}
