"""What is sent in to have something told, set, checked or corrected, and what is answered."""
