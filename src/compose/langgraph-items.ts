/** Items of a LangGraph store as entries, for whoever writes them without LangGraph: `LaminaStore` finds them. */

export { itemWriting, type WrittenItem } from '../langgraph/item-writing.ts';
