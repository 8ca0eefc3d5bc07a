import { EnvironmentError } from "./environment-error.js";

/** All objects together give more than can be served. The message says how much that is, and what has most of it. */
export class PolicyTooLarge extends EnvironmentError {}
